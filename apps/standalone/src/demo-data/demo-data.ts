import type { AccountType, MerchantRecord } from '@paycode/dto';

/** What `POST /internal/accounts` takes to make the account. */
export interface DemoAccount {
  username: string;
  type: AccountType;
  id?: number;
  acquirer?: string;
}

const acquirer = 'Demo Bank';

/** One account of each type, and a second PSP and merchant, to show that they cannot use the data of others. */
export const demoAccounts: DemoAccount[] = [
  { username: 'psp-1', type: 'PSP', id: 1 },
  { username: 'psp-2', type: 'PSP', id: 2 },
  { username: 'merchant-1001', type: 'MERCHANT', id: 1001 },
  { username: 'merchant-1002', type: 'MERCHANT', id: 1002 },
  { username: 'merchant-2001', type: 'MERCHANT', id: 2001 },
  { username: 'manager-1', type: 'MANAGER', id: 1 },
  { username: 'stk-demo', type: 'STK' },
  { username: 'acquirer-demo', type: 'ACQUIRER', acquirer },
];

export const demoMerchants: MerchantRecord[] = [
  { merchantId: 1001, merchantName: 'Corner Coffee', pspId: 1, acquirer, status: 'ACTIVE' },
  { merchantId: 1002, merchantName: 'Harbour Books', pspId: 1, acquirer, status: 'ACTIVE' },
  { merchantId: 1003, merchantName: 'Closed Kiosk', pspId: 1, acquirer, status: 'SUSPENDED' },
  { merchantId: 2001, merchantName: 'Mountain Bikes', pspId: 2, acquirer, status: 'ACTIVE' },
];
