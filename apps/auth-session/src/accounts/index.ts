export * from './accounts.module';
export * from './accounts.ports';
export * from './check-password.service';
export * from './domain/account';
export { usernameOfTenant } from './http/username-of-tenant';
export { SourceRule } from './source-rule';
export { AccountEntity } from './persistence/account.entity';
export { principalColumns } from './persistence/account.sql';
export { principalOf, type PrincipalRow } from './persistence/account-row';
