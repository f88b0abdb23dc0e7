/** The two internal classes of kafkajs 2.2.4 that kafkajs-repairs.ts changes. */
declare module 'kafkajs/src/network/requestQueue/index.js' {
  const RequestQueue: { prototype: import('./kafkajs-repairs').RequestQueueInternals };
  export default RequestQueue;
}

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  const ConsumerGroup: { prototype: import('./kafkajs-repairs').ConsumerGroupInternals };
  export default ConsumerGroup;
}
