import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { strimziDefinitions } from './strimzi-definitions.ts';

/** A Go module that ships definitions: version, checksum as in go.sum, folder. The guide's minimum versions are these. */
const modules: [module: string, sum: string, folder: string][] = [
  ['github.com/kedacore/keda/v2@v2.20.2', 'h1:SR60v8uIcelbveS8n/1jcl8tLdBBIbHMxmdOHw8tKqA=', 'config/crd/bases'],
  ['github.com/cloudnative-pg/cloudnative-pg@v1.30.0', 'h1:fnhVq44xXx97MNiuvJsPrX1vSjYbgdyBK5MSGfdHdp0=', 'config/crd/bases'],
  [
    'github.com/cloudnative-pg/plugin-barman-cloud@v0.15.0',
    'h1:gNVytrzzYUE08wxLDrjfJqy1FPPSFkMe1OEr4s4pVI0=',
    'config/crd/bases',
  ],
  ['sigs.k8s.io/gateway-api@v1.6.3', 'h1:lKpJa5bGlraC/QeACvCpsHLdmO6y0iKfzVl6gzaFEYc=', 'config/crd/standard'],
  ['github.com/external-secrets/external-secrets@v1.3.2', 'h1:u2J8RjlHIeF0oZCqtl92adI/uZWUwOesJIDkfql6LqQ=', 'deploy/crds'],
  [
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=',
    'example/prometheus-operator-crd',
  ],
];

export interface Definition {
  kind: string;
  metadata: { name: string };
  spec: { group: string; names: { kind: string }; versions: { name: string; served: boolean }[] };
}

/** The operators' own definitions, as they publish them. @throws Error when one cannot be had, or is not what was pinned */
export function operatorDefinitions(): Definition[] {
  const texts = [...modules.flatMap(textsOf), ...strimziDefinitions()];
  const documents = texts.flatMap(text => parseAllDocuments(text).map(document => document.toJS() as Definition | null));
  return documents.filter(document => document?.kind === 'CustomResourceDefinition') as Definition[];
}

function textsOf([module, sum, folder]: (typeof modules)[number]): string[] {
  const output = execFileSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8', timeout: 600_000 });
  const { Dir, Sum } = JSON.parse(output) as { Dir: string; Sum: string };
  if (Sum !== sum) throw new Error(`${module} has the checksum ${Sum}, and ${sum} is expected`);
  const files = readdirSync(join(Dir, folder)).filter(file => file.endsWith('.yaml'));
  return files.map(file => readFileSync(join(Dir, folder, file), 'utf8'));
}
