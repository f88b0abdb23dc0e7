import { DataFault } from '@paycode/persistence';

/** kafkajs stopped turning; `retriable`: a new member may do better. */
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

/** The broker takes everything but these records. */
const refusedRecords = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP'];

/** The error as it is, or as a fault of the data when the broker refused what was sent rather than the sender. */
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

/** Brokers are away or changing: a new try may succeed. Refused access, and anything unknown, is not transient. */
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
