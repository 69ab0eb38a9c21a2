# Hashes, strings, sorting, regular expressions.
use strict;
use warnings;
my %words;
$words{$_ * 7919 % 90011} .= "x$_" for 1 .. 600000;
print scalar(keys %words), "\n";
print join(",", (sort { $a <=> $b } keys %words)[0 .. 5]), "\n";
my $matches = 0;
for my $text (values %words) { $matches++ while $text =~ /x(\d)\d*5/g }
print "$matches\n";
