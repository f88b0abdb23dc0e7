export * from './accounts.module';
export * from './accounts.ports';
export * from './domain/account';
export { AccountEntity } from './persistence/account.entity';
export { accountColumns, accountOf, type AccountRow } from './persistence/account-row';
