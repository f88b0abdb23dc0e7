/**
 * `npm run release -- pin-images`: asks the registry, through docker or crane, which digest each base image has now and writes it into
 * docker/Dockerfile. `npm run release -- pin-images --check` makes no request and exits with 1 while a digest is missing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The base images of docker/Dockerfile: `ARG BASE=…` and `ARG BUILD_BASE=…`, the only places that name them. */
const baseArgument = /^(ARG (?:BASE|BUILD_BASE)=)(\S+)$/gm;
const digestForm = /^sha256:[0-9a-f]{64}$/;

/** References of base images, each once. */
export function baseImages(dockerfile: string): string[] {
  return [...new Set([...dockerfile.matchAll(baseArgument)].map(([, , reference]) => reference!))];
}

export function isPinned(reference: string): boolean {
  return digestForm.test(reference.slice(reference.indexOf('@') + 1)) && reference.includes('@');
}

/** The Dockerfile with every base image at the digest that its tag has now; the tag stays, for people. @throws on what is no digest */
export function withDigests(dockerfile: string, digestOf: (tag: string) => string): string {
  return dockerfile.replace(baseArgument, (_, argument: string, reference: string) => {
    const tag = reference.replace(/@.*$/, '');
    const digest = digestOf(tag);
    if (!digestForm.test(digest)) throw new Error(`${tag}: ${JSON.stringify(digest)} is no digest`);
    return `${argument}${tag}@${digest}`;
  });
}

const file = join(import.meta.dirname, '../../docker/Dockerfile');
const waitMs = 60_000;

/** Programs that tell the digest of a tag, for all platforms, not of one. */
const tools: [program: string, argumentsOf: (tag: string) => string[]][] = [
  ['docker', tag => ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', tag]],
  ['crane', tag => ['digest', tag]],
];

function digestOf(tag: string): string {
  const tried = tools.map(([program, argumentsOf]) => {
    const { status, stdout, stderr, error } = spawnSync(program, argumentsOf(tag), { encoding: 'utf8', timeout: waitMs });
    return {
      program,
      digest: status === 0 ? stdout.trim() : undefined,
      reason: error?.message ?? stderr.trim().split('\n').at(-1),
    };
  });
  const found = tried.find(({ digest }) => digest !== undefined);
  if (found) return found.digest!;
  throw new Error(
    `nobody told the digest of ${tag}:\n${tried.map(({ program, reason }) => `  ${program}: ${reason}`).join('\n')}`,
  );
}

function check(text: string): void {
  const open = baseImages(text).filter(reference => !isPinned(reference));
  for (const reference of open)
    console.error(
      `docker/Dockerfile: ${reference} has no digest; npm run release -- pin-images writes it where a registry answers`,
    );
  process.exitCode = open.length > 0 ? 1 : 0;
}

function pin(text: string): void {
  const pinned = withDigests(text, digestOf);
  writeFileSync(file, pinned);
  for (const reference of baseImages(pinned)) console.log(`docker/Dockerfile: ${reference}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = readFileSync(file, 'utf8');
  try {
    if (process.argv.includes('--check')) check(text);
    else pin(text);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
