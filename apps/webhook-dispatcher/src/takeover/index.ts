export { CloseOverdue } from './close-overdue.service';
export { RecoverDeliveries } from './recover-deliveries.service';
