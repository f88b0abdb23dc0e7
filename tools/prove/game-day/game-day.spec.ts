import { join } from 'node:path';
import { shippedAlerts } from './prometheus.ts';
import { isPassed, judge } from './run-play.ts';

const components = join(__dirname, '../../../k8s/components');

describe('the verdict on a play', () => {
  const page = (alert: string, afterS: number) => ({ alert, severity: 'page', afterS });

  const must = ['ServiceDown'];
  it.each([
    ['passes when what must fire fires, and nothing else pages', { must, fired: [page('ServiceDown', 320)] }, {}],
    ['fails when an alert that must fire does not', { must, fired: [] }, { missing: must }],
    ['fails on a page that nobody expected', { must: [], fired: [page('Late', 90)] }, { unexpectedPages: ['Late'] }],
    [
      'does not take an alert of the calm before for one of the fault',
      { must, fired: [page('ServiceDown', -30)] },
      { missing: must, unexpectedPages: must },
    ],
  ])('%s', (_, { fired, ...expected }, problems) => {
    const none = { missing: [], unexpectedPages: [], unexpectedTickets: [] };
    const isPassed = Object.keys(problems).length === 0;
    expect(judge(expected, fired)).toMatchObject({ ...none, ...problems, isPassed });
  });

  it('is no pass when a play has a problem, though its alerts are right', () => {
    const result = { name: 'slow-merchant', expected: { must: [] }, heldS: 600, verdict: judge({ must: [] }, []) };
    expect([isPassed(result), isPassed({ ...result, problem: 'no fault' })]).toEqual([true, false]);
  });
});

describe('the rules of a game day', () => {
  const { files, played, elsewhere } = shippedAlerts(components);

  it('are those that k8s ships, with the alerts that need a cluster named apart', () => {
    const alerts = files.flatMap(({ spec }) => spec.groups.flatMap(({ rules }) => rules)).filter(({ alert }) => alert);
    expect(alerts.length).toBe(played.size + [...elsewhere.values()].filter(needs => needs === 'kube-state-metrics').length);
    expect(played.get('ServiceDown')).toBe('page');
    expect(played.get('GuessingAttack')).toBe('ticket');
    expect(elsewhere.get('MigrationFailed')).toBe('kube-state-metrics');
    expect(elsewhere.get('BrokerMissing')).toBe('Kafka under Strimzi');
    expect([...elsewhere.keys()].filter(alert => played.has(alert))).toEqual([]);
  });
});
