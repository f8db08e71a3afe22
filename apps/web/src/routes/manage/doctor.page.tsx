import { getRouteApi } from "@tanstack/react-router";

import { Doctor } from "@/features/doctor/components/doctor";

const route = getRouteApi("/manage/doctor");

export function DoctorPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return <Doctor search={search} onSearch={(next) => void navigate({ search: next, replace: true })} />;
}
