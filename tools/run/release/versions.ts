/** Every place that names the version of the platform; kits have versions of their own. */

export interface VersionPlace {
  file: string;
  /** A release without the file is complete, e.g. a chart that is not made yet. */
  isOptional?: boolean;
  /** Finds the version in group 2; the groups around it stay. */
  pattern: RegExp;
  /** How the place writes `1.2.3`. Default: as it is. */
  form?: (version: string) => string;
  /** How often the pattern must be found. Default 1. */
  times?: number;
}

const dashed = (version: string): string => version.replaceAll('.', '-');
const suffix = /(^nameSuffix: -v)([0-9A-Za-z-]+)($)/m;

export const versionPlaces: readonly VersionPlace[] = [
  { file: 'package.json', pattern: /(^\{\s+"name": "paycode",\s+"version": ")([^"]+)(")/ },
  // The workspace itself stands twice at the top.
  { file: 'package-lock.json', pattern: /("name": "paycode",\s+"version": ")([^"]+)(")/g, times: 2 },
  { file: 'docker/Dockerfile', pattern: /(^ARG VERSION=)(\S+)($)/gm, times: 2 },
  { file: 'libs/safe-http/src/user-agent.ts', pattern: /('Paycode\/)([^']+)(')/ },
  { file: 'k8s/base/payment-simulator/migration/kustomization.yaml', pattern: suffix, form: dashed },
  { file: 'k8s/components/migrations/jobs/kustomization.yaml', pattern: suffix, form: dashed },
  { file: 'k8s/charts/paycode/Chart.yaml', isOptional: true, pattern: /(^version: ['"]?)([^'"\s]+)(['"]?$)/m },
  { file: 'k8s/charts/paycode/Chart.yaml', isOptional: true, pattern: /(^appVersion: ['"]?)([^'"\s]+)(['"]?$)/m },
];

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;

/** @throws Error unless `next` is a version (x.y.z) behind `current`, which `isSame` allows too */
export function checkVersion(current: string, next: string, { isSame = false }: { isSame?: boolean } = {}): void {
  const wanted = numbersOf(next, '--version');
  const present = numbersOf(current, 'package.json');
  const order = wanted.map((number, at) => number - present[at]!).find(difference => difference !== 0) ?? 0;
  if (order < 0 || (order === 0 && !isSame)) throw new Error(`--version: ${next} does not come after ${current}`);
}

function numbersOf(version: string, where: string): number[] {
  const found = form.exec(version);
  if (!found) throw new Error(`${where}: ${JSON.stringify(version)} is no version x.y.z`);
  return found.slice(1).map(Number);
}

/** The text with the version in this place. @throws Error when the place is not found as often as it must be */
export function withVersion(
  text: string,
  { file, pattern, form: formOf = same, times = 1 }: VersionPlace,
  version: string,
): string {
  let left = times;
  const found = text.replace(pattern, (...[whole, before, , after]: string[]) => {
    if (left === 0) return whole!;
    left -= 1;
    return `${before}${formOf(version)}${after}`;
  });
  if (left > 0) throw new Error(`${file}: the version was not found where it must be`);
  return found;
}

function same(version: string): string {
  return version;
}
