import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { generatedManifests } from './generated-manifests';

const root = join(__dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const alertFiles = [
  'k8s/components/monitoring/alerts/paycode.yaml',
  'k8s/components/keda/alerts/keda.yaml',
  'k8s/components/postgres-cnpg/alerts/postgres.yaml',
];
const tests = readdirSync(join(root, 'k8s/tests/alerts')).map(file => `k8s/tests/alerts/${file}`);
const dashboards = readdirSync(join(root, 'k8s/components/monitoring/dashboards')).map(
  file => `k8s/components/monitoring/dashboards/${file}`,
);

interface Rules {
  groups: { rules: { alert: string; labels: { severity: string }; annotations: Record<string, string> }[] }[];
}
interface RuleTests {
  tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
}
interface Dashboard {
  uid: string;
  title: string;
  panels: { id: number; title: string; targets: { expr: string }[]; gridPos: { x: number; y: number } }[];
}
const rules = alertFiles.flatMap(file => (parse(read(file)) as Rules).groups.flatMap(group => group.rules));
const promtool = (...args: string[]) =>
  execFileSync('promtool', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

describe('alerts', () => {
  it('are valid rules', () => {
    expect(promtool('check', 'rules', ...alertFiles)).toContain('SUCCESS');
  });

  it('fire when they must and stay silent when they must, each in a case of its own', () => {
    expect(promtool('test', 'rules', ...tests)).toContain('SUCCESS');
    const cases = tests.flatMap(file => (parse(read(file)) as RuleTests).tests.flatMap(test => test.alert_rule_test));
    const tested = (isFiring: boolean) =>
      cases.filter(({ exp_alerts }) => exp_alerts.length > 0 === isFiring).map(({ alertname }) => alertname);
    const names = rules.map(({ alert }) => alert);
    expect(names.filter(name => !tested(true).includes(name))).toEqual([]);
    expect(names.filter(name => !tested(false).includes(name))).toEqual([]);
  });

  it('have a severity, a description and a runbook', () => {
    for (const { alert, labels, annotations } of rules) {
      expect({ alert, severity: labels.severity }).toEqual({
        alert,
        severity: expect.stringMatching(/^(page|ticket)$/) as string,
      });
      expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook_url', 'summary']);
    }
  });
});

describe('dashboards', () => {
  it.each(dashboards)('%s has one identity, and panels that do not cover each other', file => {
    const { uid, title, panels } = JSON.parse(read(file)) as Dashboard;
    expect(dashboards.filter(other => (JSON.parse(read(other)) as Dashboard).uid === uid)).toEqual([file]);
    expect(title).toMatch(/^Paycode: /);
    const places = panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
    expect([new Set(panels.map(({ id }) => id)).size, new Set(places).size]).toEqual([panels.length, panels.length]);
  });

  it('every query parses as PromQL', () => {
    const queries = dashboards.flatMap(file =>
      (JSON.parse(read(file)) as Dashboard).panels.flatMap(panel => panel.targets.map(({ expr }) => expr)),
    );
    expect(queries.length).toBeGreaterThan(20);
    // promtool has no offline query check: a recording rule takes any expression it can parse.
    const recorded = { groups: [{ name: 'panels', rules: queries.map((expr, index) => ({ record: `panel:${index}`, expr })) }] };
    const file = join(mkdtempSync(join(tmpdir(), 'paycode-panels-')), 'rules.yaml');
    writeFileSync(file, JSON.stringify(recorded));
    const output = promtool('check', 'rules', file);
    rmSync(dirname(file), { recursive: true });
    expect(output).toContain(`SUCCESS: ${queries.length} rules found`);
  });
});

describe('generated manifests', () => {
  it('are current (npm run manifests:generate)', async () => {
    for (const [path, text] of await generatedManifests(root))
      expect({ path, isFresh: read(path) === text }).toEqual({ path, isFresh: true });
  });
});
