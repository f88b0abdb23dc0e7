import { undoneAfterEach } from '@paycode/service-runtime/testing';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { choosePorts, PortInUseError } from './ports';

const later = undoneAfterEach();

function listening(port = 0): Promise<Server> {
  return new Promise(resolve => {
    const server = createServer().listen(port, '127.0.0.1', () => resolve(server));
    later(() => server.close());
  });
}
const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe('ports of the platform', () => {
  it('refuses a gateway port that another program uses', async () => {
    const other = await listening();
    await expect(choosePorts(portOf(other))).rejects.toThrow(PortInUseError);
  });

  it('are all different, and are free ports when the gateway has another port', async () => {
    const { gateway, services } = await choosePorts(0);
    const ports = [gateway, ...Object.values(services).flatMap(each => [each.internal, each.public])].filter(port => port !== 0);
    expect(ports).toHaveLength(14);
    expect(new Set(ports).size).toBe(14);
    expect(await Promise.all(ports.map(listening))).toHaveLength(14);
  });
});
