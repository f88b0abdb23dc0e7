export { type Admission, DeliveryDesk, type QueueLoad } from './delivery-desk.service';
export { type Deadline, DeadlineHeap } from './domain/deadline-heap';
export { type Granted, OriginQueues, type SlotUse } from './domain/origin-queues';
export { RefillQueues } from './refill-queues.service';
