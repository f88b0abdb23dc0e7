export { storedDeliveries } from './stored-deliveries';
