import { version } from 'kafkajs/package.json';
import { kafkajsInternals, repairKafkajs, type RequestQueueInternals } from './kafkajs-repairs';

function queue(state: Partial<RequestQueueInternals>): RequestQueueInternals {
  const made = Object.create(kafkajsInternals().RequestQueue.prototype) as RequestQueueInternals;
  return Object.assign(made, { pending: [], throttledUntil: -1, throttleCheckTimeoutId: null, ...state });
}

describe('the repairs of kafkajs', () => {
  beforeAll(() => {
    repairKafkajs();
    repairKafkajs();
  });
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('are written for the installed version', () => {
    expect(version).toBe('2.2.4');
  });

  it('set no timer while nothing waits (no polling, no negative timeouts)', () => {
    const idle = queue({});
    idle.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('look at a waiting request again soon', () => {
    const busy = queue({ pending: [{}] });
    busy.checkPendingRequests = jest.fn();
    busy.scheduleCheckPendingRequests();
    busy.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(10);
    expect(busy.checkPendingRequests).toHaveBeenCalledTimes(1);
  });

  it('wait for the end of a throttle', () => {
    const throttled = queue({ throttledUntil: Date.now() + 500 });
    throttled.checkPendingRequests = jest.fn();
    throttled.scheduleCheckPendingRequests();
    jest.advanceTimersByTime(499);
    expect(throttled.checkPendingRequests).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(throttled.checkPendingRequests).toHaveBeenCalledTimes(1);
  });
});
