export { CompleteTransactionsService } from './complete-transactions.service';
export type { Completion } from './domain/completion';
export { countryCodes } from './domain/country';
export { currencyCodes } from './domain/currency';
export { addDecimals, amountProblem, minorUnitsOf } from './domain/decimal';
export type { CompletedTransaction, StoredTransaction } from './domain/transaction';
export { ReadTransactionsService } from './read-transactions.service';
export { storedTransactions } from './stored-transactions.sql';
export { TransactionsModule } from './transactions.module';
