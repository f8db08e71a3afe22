import { NotificationsView } from "@/features/notifications/components/notifications-view";

export function NotificationsPage() {
  return <NotificationsView />;
}
