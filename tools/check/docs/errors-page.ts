import { STATUS_CODES } from 'node:http';
import { errorCatalogue, type ErrorKind } from '../../../libs/dto/src/access/error-catalogue.ts';
import type { Page } from './page.ts';

const head = `# Errors

Generated from \`libs/dto/src/access/error-catalogue.ts\` by \`npm run generate\`.

Every error answer has the body \`{"timestamp", "status", "error", "message", "code", "path", "requestId"}\`; problems of fields are listed in \`errors\`.
Decide by \`code\`: a code keeps its meaning. New codes may come, so treat one that you do not know by its status.
\`message\` is for people. Tell support the \`requestId\`, which is also the header \`X-Request-Id\`.

| Code | Status | Message | Your step |
|---|---|---|---|
`;

/** The error catalogue as people read it. */
export function errorsPages(): Page[] {
  return [{ path: 'docs/reference/errors.md', text: head + errorCatalogue.map(rowOf).join('') }];
}

function rowOf({ code, status, message, remedy }: ErrorKind): string {
  const said = message === undefined ? 'any other' : `\`${message}\``;
  return `| \`${code}\` | ${status} ${STATUS_CODES[status]} | ${said} | ${remedy} |\n`;
}
