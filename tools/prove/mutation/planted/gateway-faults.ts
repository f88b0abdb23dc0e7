import type { PlantedFault } from './planted-fault.ts';

const gateway = 'apps/api-gateway/src';
const limitsSpec = `${gateway}/forwarding/limits.int.spec.ts`;

/** Faults in the requests and callers that the gateway accepts. */
export const gatewayFaults: readonly PlantedFault[] = [
  {
    id: 'forged-identity',
    breaks: "A client's own x-paycode- headers reach the services.",
    against: 'T-26',
    file: `${gateway}/forwarding/domain/header-lines.ts`,
    find: '/^(x-paycode-|x-forwarded-|',
    put: '/^(x-forwarded-|',
    specs: [`${gateway}/forwarding/domain/header-lines.spec.ts`],
  },
  {
    id: 'credential-rate',
    breaks: 'Requests with one credential are not limited.',
    against: 'T-02',
    file: `${gateway}/limits/rate-limits.ts`,
    find: 'if (!this.byCredential || authorization.length === 0) return {',
    put: 'if (!this.byCredential || authorization.length >= 0) return {',
    specs: [`${gateway}/limits/rate-limits.int.spec.ts`],
  },
  {
    id: 'body-size',
    breaks: 'Bodies of 25 MB are read.',
    against: 'T-02',
    file: `${gateway}/config/env.ts`,
    find: "default: 262_144, description: 'Largest request body",
    put: "default: 26_214_400, description: 'Largest request body",
    specs: [limitsSpec],
  },
  {
    id: 'address-believed',
    breaks: 'X-Forwarded-For is believed from anybody.',
    against: 'T-26',
    file: `${gateway}/listener/client-addresses.ts`,
    find: 'while (this.includes(client) && hops.length > 0) {',
    put: 'while (hops.length > 0) {',
    specs: [`${gateway}/listener/client-addresses.spec.ts`],
  },
  {
    id: 'connections-of-address',
    breaks: 'One address may take every connection.',
    against: 'T-02',
    file: `${gateway}/listener/connection-gate.ts`,
    find: 'if (count > this.options.addressConnectionsMax) {',
    put: 'if (count < 0) {',
    specs: [limitsSpec, `${gateway}/listener/public-listener.int.spec.ts`],
  },
  {
    id: 'in-flight-kept',
    breaks: 'Requests that were answered count as in progress until the gateway refuses all.',
    against: 'T-02',
    file: `${gateway}/forwarding/forward-request.ts`,
    find: '      this.inFlight -= 1;\n',
    put: '',
    specs: [limitsSpec],
  },
  {
    id: 'credentials-forwarded',
    breaks: 'Passwords and tokens reach services that have no use for them.',
    against: 'T-17',
    file: `${gateway}/forwarding/domain/header-lines.ts`,
    find: "(name === 'authorization' && !isCredentialForwarded) || ",
    put: '',
    specs: [`${gateway}/forwarding/domain/header-lines.spec.ts`],
  },
];
