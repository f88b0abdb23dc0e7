export { CloseOverdue } from './close-overdue.service';
export { TakeOverDeliveries } from './take-over-deliveries.service';
