import { RecentMerchants } from './recent-merchants';

describe('merchants that fail at the same time', () => {
  let nowMs = 0;
  let merchants: RecentMerchants;
  beforeEach(() => {
    nowMs = 0;
    merchants = new RecentMerchants(() => nowMs);
  });

  it('are counted by their latest verdict', () => {
    merchants.concluded(1, false);
    merchants.concluded(2, false);
    merchants.concluded(2, true);
    merchants.concluded(3, true);
    merchants.concluded(3, false);
    merchants.concluded(4, false);
    merchants.concluded(4, true);
    expect(merchants.counted).toEqual({ served: 4, failing: 2 });
  });

  it('are forgotten ten minutes after their latest verdict', () => {
    merchants.concluded(1, false);
    nowMs = 300_000;
    merchants.concluded(2, false);
    nowMs = 600_001;
    expect(merchants.counted).toEqual({ served: 1, failing: 1 });
    nowMs = 900_001;
    expect(merchants.counted).toEqual({ served: 0, failing: 0 });
  });

  it('are bounded: the merchant with the oldest verdict is removed first', () => {
    for (let merchantId = 1; merchantId <= 50_000; merchantId++) merchants.concluded(merchantId, merchantId > 1);
    // Merchant 1 is heard of again, so that merchant 2 has been silent for longest.
    merchants.concluded(1, false);
    merchants.concluded(50_001, false);
    expect(merchants.counted).toEqual({ served: 50_000, failing: 2 });
  });
});
