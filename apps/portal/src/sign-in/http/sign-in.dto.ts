import { IsOptional, IsString, Length } from 'class-validator';
import { InviteBody } from '../../people/http/people.dto';

export class SignInBody {
  @IsString()
  @Length(1, 254)
  email!: string;

  @IsString()
  @Length(1, 128)
  password!: string;
}

export class CodeBody {
  @IsString()
  @Length(6, 40)
  code!: string;
}

export class EnrolBody extends CodeBody {
  @IsString()
  @Length(1, 2_000)
  sealed!: string;

  /** The own password; not asked for where one has just signed in with it to set up a second factor. */
  @IsOptional()
  @IsString()
  @Length(1, 128)
  current?: string;
}

export class ChangePasswordBody {
  @IsString()
  @Length(1, 128)
  current!: string;

  @IsString()
  @Length(1, 1_000)
  next!: string;
}

export class AcceptBody {
  @IsString()
  @Length(43, 43)
  secret!: string;

  @IsString()
  @Length(1, 1_000)
  password!: string;
}

export class InviteColleagueBody extends InviteBody {
  /** The own password: in production, for another owner. */
  @IsOptional()
  @IsString()
  @Length(1, 200)
  current?: string;
}
