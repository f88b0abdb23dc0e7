import type { PlantedFault } from './planted-fault.ts';

const policySpec = 'tools/check/manifests/policy.manifest.ts';
const dispatcher = 'k8s/base/webhook-dispatcher/deployment.yaml';

/** Settings of the manifests. Their specs need kubectl. */
export const deploymentFaults: readonly PlantedFault[] = [
  {
    id: 'grace-too-short',
    breaks: 'A dispatcher that is stopped has 30 seconds for what may wait for 45.',
    against: 'R-8-1',
    file: dispatcher,
    find: 'terminationGracePeriodSeconds: 75',
    put: 'terminationGracePeriodSeconds: 30',
    specs: [policySpec],
  },
  {
    id: 'writable-container',
    breaks: 'The dispatcher may write to its own image.',
    against: 'T-22',
    file: dispatcher,
    find: 'readOnlyRootFilesystem: true',
    put: 'readOnlyRootFilesystem: false',
    specs: [policySpec],
  },
];
