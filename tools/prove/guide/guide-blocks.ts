import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../../..');
/** Needs a registry; the services are built without one. */
const notRun = '2. Images';
const payment = '7. The first payment';

/** Commands of the guide by step: of a step with an alternative (the secret store), the first block only. */
export function guideSteps(): Map<string, string> {
  const steps = [...stepsIn('docs/how-to/deploy-to-kubernetes.md', /^## (?=\d)/m)].filter(([title]) => title !== notRun);
  return new Map(steps.map(([title, blocks]) => [title, (title.includes('Secrets') ? blocks.slice(0, 1) : blocks).join('\n')]));
}

/** The blocks of each rotation of the runbook. */
export function rotations(): Map<string, string[]> {
  const sections = [...stepsIn('k8s/runbooks/rotate-secrets.md', /^### /m)];
  return new Map(sections.filter(([, blocks]) => blocks.length > 0));
}

/** The values and functions of the guide, which the blocks of the runbook need. */
export function valuesAndFunctions(): string {
  const steps = guideSteps();
  const functions = steps.get(payment)!.match(/^\w+\(\) \{.*$/gm)!;
  return [steps.get('1. Your values')!, ...functions].join('\n');
}

/** A shell function that makes a payment as the guide does and fails unless it is settled; again with another one while services take over a secret. */
export function settleFunction(reference: string): string {
  const lines = guideSteps().get(payment)!.split('\n');
  const pay = lines.slice(lines.findIndex(line => line.startsWith('code=')));
  const body = pay
    .join('\n')
    .replace('"first"', `"${reference}-'$try'"`)
    .replace(/(reversals show \$payment)/, '$1 | grep SETTLED');
  return `settle() { for try in $1-1 $1-2 $1-3 $1-4; do (${body}) && return; done; return 1; }`;
}

function stepsIn(page: string, heading: RegExp): Map<string, string[]> {
  const sections = readFileSync(join(root, page), 'utf8').split(heading).slice(1);
  return new Map(
    sections.map(section => {
      const [body] = section.split(/^## /m);
      const blocks = [...body!.matchAll(/^```shell\n([^]*?)^```$/gm)].map(match => match[1]!);
      return [section.slice(0, section.indexOf('\n')), blocks];
    }),
  );
}
