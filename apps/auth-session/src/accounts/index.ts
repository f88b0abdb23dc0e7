export * from './accounts.module';
export * from './accounts.ports';
export * from './domain/account';
export { accountColumns, accountOf, type AccountRow } from './persistence/account-row';
