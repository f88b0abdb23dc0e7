import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { isAbsolute, join } from 'node:path';
import type { GuideCluster } from './guide-cluster';

interface Call {
  words: string[];
  folder: string;
  stdin: string;
}
type Command = (call: Call) => Promise<string> | string;

/** Answers what the guide says to kubectl. A command that it does not know fails, so that the page cannot grow past its test. */
export class KubectlServer {
  private readonly server: Server;
  private readonly commands: [pattern: RegExp, command: Command][];

  constructor(private readonly cluster: GuideCluster) {
    this.commands = [
      [/^apply -k /, ({ words, folder }) => this.applyRendered(words[2]!, folder)],
      [/^apply (-f \S+ ?)+$/, ({ words, folder }) => this.applyFiles(words.filter(word => word !== '-f').slice(1), folder)],
      [/^-n paycode scale deployment\/webhook-dispatcher --current-replicas=1 --replicas=2$/, () => ''],
      [/^label namespace \S+ paycode\.dev\/provides=monitoring --overwrite$/, () => ''],
      [/^-n kafka wait --for=condition=Ready (kafka\/paycode|kafkauser --all) /, () => this.authority('kafka')],
      [/^-n postgres wait --for=condition=Ready cluster\/paycode /, () => this.authority('postgres')],
      [
        /^-n (kafka|postgres) get secret (paycode-cluster-ca-cert|paycode-ca) -o jsonpath=\{\.data\.ca\\\.crt\}$/,
        call => this.ca(call),
      ],
      [
        /^-n paycode wait --for=condition=complete job -l app\.kubernetes\.io\/component=migrations /,
        () => this.done(cluster.migrate()),
      ],
      [/^-n paycode wait --for=condition=available deployment --all /, () => this.done(cluster.deploy())],
      [/^-n paycode rollout restart deployment\/[a-z-]+$/, ({ words }) => this.done(cluster.restart(words[4]!.split('/')[1]!))],
      [/^-n paycode rollout status deployment\/[a-z-]+ /, () => ''],
      [/^-n paycode exec -i deploy\/ops -- /, call => this.exec(call)],
    ];
    this.server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        this.answer(JSON.parse(Buffer.concat(chunks).toString()) as Call).then(
          text => outgoing.end(text),
          (error: Error) => outgoing.writeHead(500).end(error.message),
        );
      });
    });
  }

  async listen(socket: string): Promise<void> {
    await new Promise<void>(resolve => this.server.listen(socket, resolve));
  }

  async close(): Promise<void> {
    await new Promise(resolve => this.server.close(resolve));
  }

  private async answer(call: Call): Promise<string> {
    const line = call.words.join(' ');
    const found = this.commands.find(([pattern]) => pattern.test(line));
    if (!found) throw new Error(`the guide says "kubectl ${line}", which its test does not know`);
    return found[1](call);
  }

  private applyRendered(overlay: string, folder: string): Promise<string> {
    const text = execFileSync('/usr/bin/env', ['kubectl', 'kustomize', join(folder, overlay)], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    return this.done(this.cluster.apply(text));
  }

  private applyFiles(files: string[], folder: string): Promise<string> {
    const texts = files.map(file => readFileSync(isAbsolute(file) ? file : join(folder, file), 'utf8'));
    return this.done(this.cluster.apply(texts.join('\n---\n')));
  }

  private async authority(provider: 'kafka' | 'postgres'): Promise<string> {
    await this.cluster.authorityOf(provider);
    return '';
  }

  /** As the API does: in base64. */
  private async ca({ words }: Call): Promise<string> {
    const text = await this.cluster.authorityOf(words[1] as 'kafka' | 'postgres');
    return Buffer.from(text).toString('base64');
  }

  private async exec({ words, stdin }: Call): Promise<string> {
    const { status, output } = await this.cluster.exec(words.slice(words.indexOf('--') + 1), stdin);
    if (status !== 0) throw new Error(output);
    return output;
  }

  private async done(work: Promise<void>): Promise<string> {
    await work;
    return '';
  }
}
