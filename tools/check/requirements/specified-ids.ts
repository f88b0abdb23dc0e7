import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of docs/specification/settlement-protocol.md. */
const invariants = 14;
const pages = ['requirements', 'decisions', 'threats'];

/** Every id of docs/specification: requirements, decisions, threats and the protocol's invariants. */
export function specifiedIds(root: string): string[] {
  const texts = pages.map(page => readFileSync(join(root, 'docs/specification', `${page}.md`), 'utf8'));
  const listed = texts.flatMap(text => [...text.matchAll(/^(?:- |\| )(R-[\d.]+-\d+|A-\d+|T-\d+)\b/gm)].map(([, id]) => id!));
  return [...listed, ...Array.from({ length: invariants }, (_, index) => `P-I${index + 1}`)];
}

/**
 * Ids that a text spells out. It ignores the ends of a range (`P-I1-P-I13`, `R-2.1-1..5`), because the ids between are not named, and
 * shortened entries of a list (`R-2.1-1, 2` names R-2.1-1 only).
 */
export function idsIn(text: string): string[] {
  return text.match(/(?<![\w.-])(R-[\d.]+-\d+|A-\d+|T-\d+|P-I\d+)(?![\w-]|\.\.|\.\d| to )/g) ?? [];
}
