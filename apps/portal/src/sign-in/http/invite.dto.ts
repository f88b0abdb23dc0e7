import { IsEmail, IsIn, IsString, Length } from 'class-validator';
import { type Role, roles } from '../../people';

export class InviteColleagueBody {
  @IsEmail({ require_tld: false })
  @Length(3, 254)
  email!: string;

  @IsString()
  @Length(1, 100)
  name!: string;

  @IsIn(roles)
  role!: Role;
}
