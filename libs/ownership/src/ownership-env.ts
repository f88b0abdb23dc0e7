import type { EnvKey } from '@paycode/service-runtime';

/** Keys of a service whose replicas share shards. Spread them into the service's schema. */
export const ownershipEnv = {
  INSTANCE_ID: {
    type: 'string',
    default: null,
    description:
      "Where this process runs, if a supervisor starts the next one there only when the last has ended: a pod's uid. The next one takes over at once what a killed one held; unset: after the lease (P-T10). Never the same in two places.",
  },
} as const satisfies Record<string, EnvKey<unknown>>;
