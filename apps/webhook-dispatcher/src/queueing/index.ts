export { type Admission, DeliveryQueue, type QueueLoad } from './delivery-queue';
export { type Granted, OriginQueues, type SlotUse } from './domain/origin-queues';
export { RefillQueues } from './refill-queues';
