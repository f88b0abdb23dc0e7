/** Topic names; see docs/reference/topics.yaml for partitions and retention. */
export const topics = {
  transactionTerminal: 'paycode.transaction.terminal.v1',
  ackReceived: 'paycode.transaction.ack-received.v1',
  reversalRequested: 'paycode.transaction.reversal-requested.v1',
} as const;

export type Topic = (typeof topics)[keyof typeof topics];

/** CloudEvents `type` carried on each topic. */
export const eventTypes = {
  [topics.transactionTerminal]: 'TransactionTerminal',
  [topics.ackReceived]: 'AckReceived',
  [topics.reversalRequested]: 'ReversalRequested',
} as const;
