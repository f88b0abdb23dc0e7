import type { PlantedFault } from './planted-fault.ts';

const auth = 'apps/auth-session/src';
const counts = `${auth}/audit/event-counts.ts`;
const countsSpec = `${auth}/audit/event-counts.spec.ts`;
const auditSpec = `${auth}/audit/audit.int.spec.ts`;
const guardsSpec = 'libs/access/src/guards.int.spec.ts';

/** The security log: who did what, when, from where. */
export const auditFaults: readonly PlantedFault[] = [
  {
    id: 'first-event-late',
    breaks: 'The first event of a window is written only with the others.',
    against: 'T-15',
    file: counts,
    find: '    this.waiting.push({ event, at: new Date(nowMs) });\n',
    put: '',
    specs: [countsSpec],
  },
  {
    id: 'counts-lost-at-stop',
    breaks: 'Counts are lost when the service stops.',
    against: 'T-15',
    file: counts,
    find: '    this.closeWindows(Infinity);\n',
    put: '',
    specs: [countsSpec],
  },
  {
    id: 'counts-unbounded',
    breaks: 'Addresses that change fill the memory with counts.',
    against: 'T-02',
    file: counts,
    find: 'if (counts.size < countsMax || counts.has(key))',
    put: 'if (counts.size >= 0)',
    specs: [countsSpec],
  },
  {
    id: 'events-lost-in-outage',
    breaks: 'Security events that could not be written are dropped.',
    against: 'T-15',
    file: counts,
    find: 'this.waiting = [...rows, ...this.waiting].slice(0, countsMax);',
    put: '',
    specs: [countsSpec],
  },
  {
    id: 'reading-not-recorded',
    breaks: 'Nobody can tell who read personal data.',
    against: 'T-15',
    file: `${auth}/authorize/authorize.service.ts`,
    find: 'if (data !== undefined) this.events.note(',
    put: "if (data === '') this.events.note(",
    specs: [auditSpec],
  },
  {
    id: 'denial-not-recorded',
    breaks: 'A 403 leaves no trace.',
    against: 'T-15',
    file: `${auth}/authorize/authorize.service.ts`,
    find: "if (!permits(asked.rule, identity)) this.events.note({ kind: 'ACCESS_DENIED', subject, origin });",
    put: 'if (!permits(asked.rule, identity)) return;',
    specs: [auditSpec],
  },
  {
    id: 'refused-source-not-counted',
    breaks: 'A right credential from elsewhere calls no operator.',
    against: 'T-15',
    file: `${auth}/accounts/source-rule.ts`,
    find: '    refusedTotal.inc();\n',
    put: '',
    specs: [auditSpec, `${auth}/accounts/source-addresses.int.spec.ts`],
  },
  {
    id: 'downgrade-not-recorded',
    breaks: 'A login without the challenge that the client could answer leaves no trace.',
    against: 'T-10',
    file: `${auth}/login/login.service.ts`,
    find: "    await this.securityLog.record({ kind: 'LOGIN_DOWNGRADED', subject: username, origin });\n",
    put: '',
    specs: [auditSpec],
  },
  {
    id: 'poisoned-event-blocks-log',
    breaks: 'An event that cannot be stored keeps every other from being stored.',
    against: 'T-29',
    file: `${auth}/audit/postgres-security-log.store.ts`,
    find: 'return isolate(events, {\n      write: some => this.insertAll(some),',
    put: 'return isolate([events], {\n      write: ([some]) => this.insertAll(some ?? []),',
    specs: [`${auth}/audit/postgres-security-log.store.int.spec.ts`],
  },
  {
    id: 'operator-anonymous',
    breaks: 'The logs say that an operator did it, and not which.',
    against: 'T-27',
    file: 'libs/access/src/service-token/internal-callers.guard.ts',
    find: '    request.subject = subject;\n',
    put: '',
    specs: [guardsSpec, auditSpec, 'apps/notification-config/src/notifications/audit-trail.int.spec.ts'],
  },
  {
    id: 'operator-anonymous-in-auth',
    breaks: 'The security log says that an operator did it, and not which.',
    against: 'T-27',
    file: `${auth}/audit/request-origin.ts`,
    find: 'return { actor, address: null, requestId: String(id) };',
    put: 'return { actor: actor && internalCaller, address: null, requestId: String(id) };',
    specs: [auditSpec, `${auth}/accounts/accounts.int.spec.ts`],
  },
  {
    id: 'operator-name-unchecked',
    breaks: 'A token may name an operator by any text.',
    against: 'T-27',
    file: 'libs/access/src/service-token/service-token-keys.ts',
    find: 'return sub !== undefined && subjectPattern.test(sub) ?',
    put: 'return sub !== undefined ?',
    specs: [guardsSpec, 'libs/access/src/service-token/service-token.spec.ts'],
  },
];
