import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AxiosInstance } from 'axios';
import { MessageSender, SendError, type Sending, tlsOptions } from './message.sender';

export interface HttpGatewaySettings {
  url: string;
  token: string | null;
  from: string;
  caFile: string | null;
}

const limits = { timeout: 15_000, maxContentLength: 65_536, maxRedirects: 0, proxy: false } as const;
/** Statuses of temporary refusals. */
const temporary = new Set([408, 425, 429]);

/** Sends messages through the operator's HTTP gateway: it POSTs `{from, to, text, reference}` as JSON; the gateway takes a message by answering 2xx. */
export class HttpGatewaySender extends MessageSender<string> {
  private http: Promise<AxiosInstance> | undefined;
  private readonly agents: [HttpAgent, HttpsAgent];

  constructor(private readonly settings: HttpGatewaySettings) {
    super();
    this.agents = [
      new HttpAgent({ keepAlive: true, maxSockets: 4 }),
      new HttpsAgent({ keepAlive: true, maxSockets: 4, ...tlsOptions(settings.caFile) }),
    ];
  }

  override async send({ recipient, text, reference }: Sending<string>): Promise<void> {
    const { url, from } = this.settings;
    try {
      const http = await this.client();
      await http.post(url, JSON.stringify({ from, to: recipient, text, reference }));
    } catch (cause) {
      // Drops the cause, because it contains the request with recipient and text.
      const { response, code } = cause as { response?: { status: number }; code?: string };
      const status = response?.status;
      const isPermanent = status !== undefined && status >= 400 && status < 500 && !temporary.has(status);
      throw new SendError(`SMS GATEWAY ${status ?? code ?? 'FAULT'}`, isPermanent);
    }
  }

  /** With the first message: a platform without such a gateway never needs its 3 MiB. */
  private client(): Promise<AxiosInstance> {
    return (this.http ??= this.createClient());
  }

  private async createClient(): Promise<AxiosInstance> {
    const { default: axios } = await import('axios');
    const { token } = this.settings;
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const [httpAgent, httpsAgent] = this.agents;
    return axios.create({
      ...limits,
      httpAgent,
      httpsAgent,
      headers: { 'content-type': 'application/json', ...authorization },
    });
  }

  override async close(): Promise<void> {
    for (const agent of this.agents) agent.destroy();
  }
}
