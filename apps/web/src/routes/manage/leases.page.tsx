import { Leases } from "@/features/leases/components/leases";

export function LeasesPage() {
  return <Leases />;
}
