import { DataFault } from '@paycode/persistence';

/** kafkajs stopped making progress; `retriable`: a new member may succeed. */
export class StalledConsumerError extends Error {
  readonly retriable = true;

  constructor(stalledMs: number) {
    super(`kafkajs made no turn for ${stalledMs} ms`);
    this.name = 'StalledConsumerError';
  }
}

/** Error code of the protocol (`ILLEGAL_GENERATION`, `TOPIC_AUTHORIZATION_FAILED`, …) somewhere in the chain of causes. */
export function protocolCodeOf(error: unknown): string | undefined {
  return chainOf(error)
    .map(cause => (cause as { type?: unknown }).type)
    .find(type => typeof type === 'string');
}

const staleMembership = ['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'REBALANCE_IN_PROGRESS', 'FENCED_INSTANCE_ID'];

/** The assignment under which the request was made has ended. */
export function isStaleMembership(error: unknown): boolean {
  return staleMembership.includes(protocolCodeOf(error) ?? '');
}

/** Codes by which the broker refuses the records, not the sender. */
const refusedRecords = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP'];

/** The error itself, or a fault of the data when the broker refused the records and not the sender. */
export function publishFault(error: unknown): unknown {
  const code = protocolCodeOf(error) ?? '';
  return refusedRecords.includes(code) ? new DataFault(`refused by the broker, ${code}`, { cause: error }) : error;
}

const outages = [
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSBrokerNotFound',
  'KafkaJSGroupCoordinatorNotFound',
];

/** Whether brokers are unreachable or changing, so that a new try may succeed. Refused access and unknown errors are not transient. */
export function isTransient(error: unknown): boolean {
  if (protocolCodeOf(error)?.endsWith('AUTHORIZATION_FAILED')) return false;
  return chainOf(error).some(cause => outages.includes(cause.name) || (cause as { retriable?: unknown }).retriable === true);
}

const causesMax = 6;

function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < causesMax; at = at.cause) chain.push(at);
  return chain;
}
