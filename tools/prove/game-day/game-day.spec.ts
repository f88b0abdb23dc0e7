import { join } from 'node:path';
import { shippedAlerts } from './prometheus.ts';
import { isPassed, judge, tableOf } from './verdict.ts';

const components = join(__dirname, '../../../k8s/components');

describe('the verdict on a play', () => {
  const page = (alert: string, afterS: number) => ({ alert, severity: 'page', afterS });
  const ticket = (alert: string, afterS: number) => ({ alert, severity: 'ticket', afterS });

  it('passes when what must fire fires and nothing else pages', () => {
    const verdict = judge({ must: ['ServiceDown'], may: ['OutboxStuck'] }, [page('ServiceDown', 320), page('OutboxStuck', 200)]);
    expect(verdict).toMatchObject({ missing: [], unexpectedPages: [], isPassed: true });
    expect(verdict.fired.map(({ alert }) => alert)).toEqual(['OutboxStuck', 'ServiceDown']);
  });

  it('fails when an alert that must fire does not', () => {
    expect(judge({ must: ['ServiceDown'] }, [])).toMatchObject({ missing: ['ServiceDown'], isPassed: false });
  });

  it('fails on a page that nobody expected, and tells an unexpected ticket', () => {
    expect(judge({ must: [] }, [page('DecisionsLate', 90)])).toMatchObject({
      unexpectedPages: ['DecisionsLate'],
      isPassed: false,
    });
    expect(judge({ must: [] }, [ticket('EventLoopBlocked', 90)])).toMatchObject({
      unexpectedTickets: ['EventLoopBlocked'],
      isPassed: true,
    });
  });

  it('does not take an alert of the calm before for one of the fault', () => {
    expect(judge({ must: ['ServiceDown'] }, [page('ServiceDown', -30)])).toMatchObject({
      missing: ['ServiceDown'],
      unexpectedPages: ['ServiceDown'],
      isPassed: false,
    });
  });

  it('counts an alert of several services once, from the first', () => {
    const { fired } = judge({ must: ['ServiceDown'] }, [page('ServiceDown', 400), page('ServiceDown', 310)]);
    expect(fired).toEqual([page('ServiceDown', 310)]);
  });
});

describe('the table', () => {
  it('says why a play counts as failed though its alerts are right', () => {
    const result = {
      name: 'slow-merchant',
      expected: { must: [] },
      heldS: 600,
      verdict: judge({ must: [] }, []),
      problem: 'no fault',
    };
    expect(isPassed(result)).toBe(false);
    expect(tableOf([result])).toContain('no fault');
    expect(isPassed({ name: 'slow-merchant', expected: { must: [] }, heldS: 0 })).toBe(false);
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
