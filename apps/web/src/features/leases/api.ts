import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "@/api/client";

export const leaseKeys = { all: ["leases"] as const };

/** Ports and databases that belong to sessions. */
export const leasesQuery = () =>
  queryOptions({
    queryKey: leaseKeys.all,
    queryFn: ({ signal }) => answered(api.GET("/api/v1/leases", { signal })),
    staleTime: Infinity,
  });
