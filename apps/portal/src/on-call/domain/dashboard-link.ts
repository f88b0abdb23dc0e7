/** `uid` of k8s/charts/paycode/dashboards/transaction.json. */
const dashboardUid = 'paycode-transaction';
const beforeMs = 10 * 60_000;
const afterMs = 3_600_000;

/**
 * The dashboard of one transaction, from some minutes before its start to an hour later: traces of payments and logs are looked for in that time only.
 * Without a start the dashboard's own time is shown. `grafanaUrl` may have a path.
 */
export function dashboardLink(grafanaUrl: string, transactionId: number, startedAt: string | null): string {
  const link = new URL(`d/${dashboardUid}`, grafanaUrl.endsWith('/') ? grafanaUrl : `${grafanaUrl}/`);
  link.searchParams.set('var-transaction', String(transactionId));
  if (startedAt !== null) {
    const startedMs = Date.parse(startedAt);
    link.searchParams.set('from', String(startedMs - beforeMs));
    link.searchParams.set('to', String(startedMs + afterMs));
  }
  return link.href;
}
