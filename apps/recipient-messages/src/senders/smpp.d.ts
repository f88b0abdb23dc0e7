/** The part of `smpp` that is used here; the package brings no types. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server as NetServer } from 'node:net';

  export interface Pdu {
    command: string;
    command_status: number;
    [field: string]: unknown;
    response(fields?: Record<string, unknown>): Pdu;
  }

  export interface Session extends EventEmitter {
    bind_transceiver(fields: Record<string, unknown>, onResponse: (pdu: Pdu) => void): boolean;
    submit_sm(fields: Record<string, unknown>, onResponse: (pdu: Pdu) => void): boolean;
    unbind(onResponse?: (pdu: Pdu) => void): boolean;
    send(pdu: Pdu): boolean;
    close(onClosed?: () => void): void;
    destroy(onClosed?: () => void): void;
  }

  export function connect(options: Record<string, unknown>, onConnected?: () => void): Session;
  export function createServer(onSession: (session: Session) => void): NetServer;
}
