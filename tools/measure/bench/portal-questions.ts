/** The queries of people over the portal's list of payments, and their depth in it. */
export interface Question {
  name: string;
  /** Below /console/api/. */
  path: string;
}

/** A payment far back in the list of a merchant. */
export interface DeepPayment {
  transactionId: number;
  completedAt: string;
  reference: string;
  code: string;
}

/** As the portal names the end of a page. */
function cursorOf({ completedAt, transactionId }: DeepPayment): string {
  return Buffer.from(`${completedAt} ${transactionId}`).toString('base64url');
}

/** Each filter alone and some together, the search, and pages far back and towards the newest. */
export function questions(deep: DeepPayment, now: Date): Question[] {
  const cursor = cursorOf(deep);
  const day = {
    from: new Date(now.getTime() - 31 * 86_400_000).toISOString(),
    to: new Date(now.getTime() - 30 * 86_400_000).toISOString(),
  };
  const lists: [string, Record<string, string>][] = [
    ['newest', {}],
    ['100 on a page', { limit: '100' }],
    ['deep page', { after: cursor }],
    ['page before a deep one', { before: cursor }],
    ['one day', day],
    ['settled', { outcome: 'SETTLED' }],
    ['settled, deep', { outcome: 'SETTLED', after: cursor }],
    ['reversed', { outcome: 'REVERSED' }],
    ['pending', { outcome: 'PENDING' }],
    ['status SUCCESS', { status: 'SUCCESS' }],
    ['status BANK_OFFLINE', { status: 'BANK_OFFLINE' }],
    ['a status nothing has', { status: 'LIMIT_FAILED' }],
    ['answer HTTP 200', { answer: 'HTTP_200' }],
    ['answer other than 200', { answer: 'NON_200' }],
    ['answer not reached, deep', { answer: 'CONNECTION', after: cursor }],
    ['amount 10.00 (each tenth)', { amount: '10.00' }],
    ['a rare amount', { amount: '1234.56' }],
    ['amount of a day, settled', { amount: '10.00', outcome: 'SETTLED', ...day }],
    ['reversed of a day', { outcome: 'REVERSED', ...day }],
    ['settled with status BANK_OFFLINE (none)', { outcome: 'SETTLED', status: 'BANK_OFFLINE' }],
    ['settled, answered NON_200 (none)', { outcome: 'SETTLED', answer: 'NON_200' }],
    ['search: transaction id', { search: String(deep.transactionId) }],
    ['search: reference', { search: deep.reference }],
    ['search: code', { search: deep.code }],
    ['search: a reference of each tenth', { search: 'till-1' }],
    ['search: what nobody has', { search: 'nothing-like-it' }],
  ];
  const asked = lists.map(([name, query]) => ({ name, path: `payments?${new URLSearchParams(query).toString()}` }));
  const dayBeganAt = new Date(now.getTime() - 12 * 3_600_000).toISOString();
  const homes = ['24h', '7d'].map(range => ({ name: `home, ${range}`, path: `home?range=${range}&dayBeganAt=${dayBeganAt}` }));
  return [...asked, ...homes];
}
