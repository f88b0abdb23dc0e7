export { dispatcherGroup, TransactionTerminalConsumer } from './events/transaction-terminal.consumer';
export { IngestTerminal } from './ingest-terminal.service';
