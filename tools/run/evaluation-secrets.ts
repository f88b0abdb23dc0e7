/**
 * `npm run -s generate -- evaluation-secrets | kubectl apply --server-side -f -`: the namespace and the secrets of k8s/overlays/evaluation. They are made at random on
 * first use and kept in `.paycode/evaluation` (PAYCODE_HOME names another folder than `.paycode`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { evaluationSecrets } from './evaluation/evaluation-secrets.ts';
import { KeptFolder } from './evaluation/material.ts';

const namespace: unknown = parse(readFileSync(join(import.meta.dirname, '../../k8s/base/namespace.yaml'), 'utf8'));
const kept = new KeptFolder(join(process.env['PAYCODE_HOME'] || '.paycode', 'evaluation'));
const items = [namespace, ...(await evaluationSecrets(kept))];
process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`);
