/** `npm run release -- pin-images`: asks the registry, through docker or crane, which digest each base image has now and writes it into docker/Dockerfile. */
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
  const reasons: string[] = [];
  for (const [program, argumentsOf] of tools) {
    const { status, stdout, stderr, error } = spawnSync(program, argumentsOf(tag), { encoding: 'utf8', timeout: waitMs });
    if (status === 0) return stdout.trim();
    reasons.push(`  ${program}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  }
  throw new Error(`nobody told the digest of ${tag}:\n${reasons.join('\n')}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const pinned = withDigests(readFileSync(file, 'utf8'), digestOf);
    writeFileSync(file, pinned);
    for (const reference of baseImages(pinned)) console.log(`docker/Dockerfile: ${reference}`);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
