import { IsString, Length, Matches } from 'class-validator';

export class CompanyBody {
  @Matches(/^[a-z0-9][a-z0-9-]{1,39}$/, { message: 'company must be 2 to 40 small letters, digits and hyphens' })
  company!: string;
}

export class SsoAnswerBody {
  /** The query that the provider sent the browser back with. */
  @IsString()
  @Length(1, 4_000)
  answer!: string;
}
