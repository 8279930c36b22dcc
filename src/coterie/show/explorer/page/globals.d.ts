// What the bundler puts in, and what the scripts that are shared with the report define.
declare const PALETTE: string[];
interface SharedTheme {
  isDark(): boolean;
  lighter(hex: string): string;
  colorOf(palette: string[], index: number, dark: boolean): string;
  variable(name: string): string;
  cycle(): string;
}
declare var coterie: any;
