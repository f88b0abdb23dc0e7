import { renewed } from './log-in';
import type { Profile, ProfileStore } from './profile-store';
import { accepted, type Call, send } from './send';

const renewBeforeMs = 60_000;

/** An account that is logged in: sends requests in its name, and renews its token in time. */
export class Account {
  constructor(
    private readonly profiles: ProfileStore,
    private readonly chosen: Profile,
  ) {}

  /** The profile with a token that is good for a minute at least. @throws CommandError */
  async profile(): Promise<Profile> {
    const profile = this.profiles.read(this.chosen);
    if (!endsSoon(profile)) return profile;
    return this.profiles.locked(profile, async () => {
      // Another process may have renewed it meanwhile.
      const current = this.profiles.read(this.chosen);
      if (!endsSoon(current)) return current;
      const next = await renewed(current);
      this.profiles.write(next);
      return next;
    });
  }

  /** The text of a call that must succeed. @throws CommandError */
  async call(what: string, call: Call): Promise<string> {
    const profile = await this.profile();
    return accepted(what, await send(profile, { ...call, authorization: profile.authorization }));
  }
}

function endsSoon({ expires }: Profile): boolean {
  return expires !== null && Date.parse(expires) - Date.now() < renewBeforeMs;
}
