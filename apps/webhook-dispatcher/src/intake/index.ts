export { dispatcherGroup, TransactionTerminalConsumer } from './events/transaction-terminal.consumer';
export { RecordDeliveries } from './record-deliveries';
