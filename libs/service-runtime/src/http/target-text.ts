import { invalidField } from '../domain-error';
import { showable, textProblem, type TextProblem } from './text-rules';

type Problem = TextProblem | 'must be percent-encoded UTF-8';

/** Refuses a request target whose decoded path or query contains text that no body may contain. @throws DomainError 400 */
export function refuseHostileTarget(target: string): void {
  // Without percent-encoding the target is visible ASCII, which the HTTP parser ensures.
  if (!target.includes('%')) return;
  const [path = '', ...query] = target.split('?');
  refuse('path', problemIn(path));
  for (const parameter of query.join('?').split('&')) {
    const [name = '', ...value] = parameter.split('=');
    refuse('query', problemIn(name));
    refuse(showable(decodeURIComponent(name)), problemIn(value.join('=')));
  }
}

function refuse(field: string, problem: Problem | undefined): void {
  if (problem) throw invalidField(field, problem);
}

function problemIn(encoded: string): Problem | undefined {
  try {
    return textProblem(decodeURIComponent(encoded));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return 'must be percent-encoded UTF-8';
  }
}
