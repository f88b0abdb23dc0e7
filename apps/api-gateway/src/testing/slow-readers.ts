import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/**
 * Each request goes out on a connection of its own. Python, because Node cannot set the two socket options: loopback's packets of 65,483 bytes let the
 * kernel hold 2.6 MB of an answer, which hides a client that does not read. 1,400 bytes is what fits a packet on an Ethernet path.
 */
const program = `
import json, socket, ssl, sys, time
port, requests, rate = int(sys.argv[1]), json.loads(sys.argv[2]), int(sys.argv[3])
tls = ssl._create_unverified_context()
connections = []
for request in requests:
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
    s.connect(('127.0.0.1', port))
    connections.append(tls.wrap_socket(s, server_hostname='localhost'))
    connections[-1].sendall(request.encode())
print('sent', flush=True)
answer = b''
while rate and not (b'\\r\\n\\r\\n' in answer and answer.endswith(b'END')):
    try:
        piece = connections[0].recv(rate // 10)
    except OSError:
        piece = b''
    if not piece:
        break
    answer += piece
    time.sleep(0.1)
print(json.dumps(len(answer.partition(b'\\r\\n\\r\\n')[2])), flush=True)
sys.stdin.read()
`;

export interface SlowRequests {
  port: number;
  /** One a connection. */
  paths: readonly string[];
  /** Header fields of each request. */
  headers?: (at: number) => Record<string, string>;
  /** The first connection reads so many bytes each second, until its body ends with `END`; 0: none reads. */
  bytesPerS?: number;
}

/** Clients that read slowly or not at all, in a process of their own. */
export class SlowReaders {
  private constructor(
    private readonly process: ChildProcessWithoutNullStreams,
    private readonly lines: AsyncIterator<string>,
    private readonly reader: Interface,
  ) {}

  /** Resolves when each has sent its request. */
  static async open({ port, paths, headers = () => ({}), bytesPerS = 0 }: SlowRequests): Promise<SlowReaders> {
    const requests = paths.map((path, at) => {
      const fields = Object.entries({ host: 'localhost', ...headers(at) }).map(([name, value]) => `${name}: ${value}\r\n`);
      return `GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`;
    });
    const child = spawn('python3', ['-c', program, String(port), JSON.stringify(requests), String(bytesPerS)]);
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const reader = createInterface(child.stdout);
    const readers = new SlowReaders(child, reader[Symbol.asyncIterator](), reader);
    const { value } = await readers.lines.next();
    if (value !== 'sent') throw new Error(`the slow readers did not start: ${errors}`);
    return readers;
  }

  /** Bytes of the body that the first connection has read, once the answer has ended or was cut off. */
  async bytesRead(): Promise<number> {
    return Number((await this.lines.next()).value);
  }

  async close(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const closed = once(this.process, 'close');
    this.process.kill('SIGKILL');
    await closed;
    this.reader.close();
  }
}
