import { Queue } from "@/features/queue/components/queue";

export function QueuePage() {
  return <Queue />;
}
