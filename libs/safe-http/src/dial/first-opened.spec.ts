import { Deadline, firstOpened, type Opening } from './first-opened';

const patienceMs = 120_000;

interface Dialled {
  address: string;
  isGivenUp: boolean;
  open(): void;
  fail(error: Error): void;
}

describe('the first of several addresses that opens a connection (RFC 8305)', () => {
  let dialled: Dialled[];
  /** Called for each address that is dialled. */
  let onDial: (dialled: Dialled) => void;
  const silent = () => undefined;
  const socketOf = (address: string) => ({ address, destroy: silent });

  const dial = (address: string): Opening<{ address: string; destroy(): void }> => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof socketOf>>();
    const entry: Dialled = { address, isGivenUp: false, open: () => resolve(socketOf(address)), fail: reject };
    dialled.push(entry);
    onDial(entry);
    return { opened: promise, giveUp: () => (entry.isGivenUp = true) };
  };
  beforeEach(() => {
    dialled = [];
    onDial = silent;
  });
  const addressesDialled = () => dialled.map(({ address }) => address);

  it('addresses that do not answer stay open while the next ones are tried, and are given up when one opens', async () => {
    onDial = entry => entry.address === 'live' && entry.open();
    const { address } = await firstOpened({ addresses: ['a', 'b', 'c', 'd', 'e', 'live', 'f'] }, new Deadline(patienceMs), dial);
    expect(address).toBe('live');
    expect(addressesDialled()).toEqual(['a', 'b', 'c', 'd', 'e', 'live']);
    expect(dialled.filter(({ isGivenUp }) => !isGivenUp).map(entry => entry.address)).toEqual(['live']);
  });

  it('a slow address is used when the ones after it fail', async () => {
    onDial = entry => {
      if (entry.address === 'slow') return;
      entry.fail(new Error('refused'));
      dialled[0]!.open();
    };
    expect(await firstOpened({ addresses: ['slow', 'dead'] }, new Deadline(patienceMs), dial)).toMatchObject({ address: 'slow' });
  });

  it('at most 16 addresses are dialled', async () => {
    onDial = entry => entry.fail(new Error('refused'));
    const addresses = Array.from({ length: 40 }, (_, n) => String(n));
    await expect(firstOpened({ addresses }, new Deadline(patienceMs), dial)).rejects.toThrow('no address could be reached');
    expect(dialled).toHaveLength(16);
  });

  it('the end of the budget gives every connection up', async () => {
    const failure = await firstOpened({ addresses: ['a', 'b'] }, new Deadline(300), dial).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ETIMEDOUT', phase: 'connect' });
    expect(dialled.every(({ isGivenUp }) => isGivenUp)).toBe(true);
  });
});
