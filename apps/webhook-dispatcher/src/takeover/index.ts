export { CloseOverdue } from './close-overdue';
export { TakeOverDeliveries } from './take-over-deliveries';
