import type { Command } from 'commander';
import {
  type ConnectionOptions,
  fileFromInput,
  type OperatorCall,
  OperatorConnection,
  OperatorError,
  type ServiceName,
  textIn,
} from './operator-connection.ts';

/** The tools of a command: calls and output. */
export interface CommandContext {
  call(service: ServiceName, call: OperatorCall): Promise<void>;
  /** For commands of several calls. */
  connect(): OperatorConnection;
  show(answer: unknown): void;
  /** Text of a file; `-` is standard input. @throws OperatorError when it cannot be read */
  read(file: string): string;
}

interface GlobalOptions extends ConnectionOptions {
  json?: boolean;
}

/** A context that reads its options when a command runs, so that they may be anywhere on the command line. */
export function contextOf(program: Command, write: (text: string) => void): CommandContext {
  const show = (answer: unknown): void =>
    write(`${program.opts<GlobalOptions>().json ? JSON.stringify(answer ?? null, null, 2) : showAnswer(answer)}\n`);
  return {
    show,
    read: file =>
      file === '-' ? fileFromInput({ isBehindToken: program.opts<GlobalOptions>().tokenFile === '-' }) : textIn(file),
    connect: () => new OperatorConnection(program.opts<GlobalOptions>()),
    call: async (service, call) => {
      show(await new OperatorConnection(program.opts<GlobalOptions>()).call(service, call));
    },
  };
}

/** An id from the command line. Throws OperatorError unless it is a positive safe integer. */
export function idOf(text: string, what: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id) || id === 0)
    throw new OperatorError(`${what} must be a positive integer, not ${text}`);
  return id;
}

/** An answer for people: one line per field, nested fields indented, lists as tables. */
function showAnswer(answer: unknown): string {
  if (answer === undefined || answer === '') return 'done';
  if (Array.isArray(answer)) return answer.length === 0 ? 'none' : table(answer);
  return typeof answer === 'object' && answer !== null ? fields(answer as Row, '') : text(answer);
}

type Row = Record<string, unknown>;

function fields(row: Row, indent: string): string {
  const width = Math.max(...Object.keys(row).map(name => name.length), 0);
  return Object.entries(row)
    .map(([name, value]) => {
      const label = `${indent}${name.padEnd(width)}  `;
      if (Array.isArray(value) && value.some(isRow)) return `${label}\n${table(value, `${indent}  `)}`;
      return isRow(value) ? `${label}\n${fields(value, `${indent}  `)}` : label + text(value);
    })
    .join('\n');
}

function table(values: readonly unknown[], indent = ''): string {
  if (!values.every(isRow)) return values.map(value => indent + text(value)).join('\n');
  const rows: readonly Row[] = values;
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  const cells = [names, ...rows.map(row => names.map(name => text(row[name])))];
  return inColumns(cells)
    .map(line => indent + line)
    .join('\n');
}

/** Lines of cells, each column as wide as its widest cell. */
export function inColumns(lines: readonly (readonly string[])[]): string[] {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map(line => line[column]!.length)));
  return lines.map(line =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.map(text).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}
