# Types that no compiler would write: they are made of themselves.

  .data
  .globl united, named, listed
  .macro object name
  .type \name, @object
  .size \name, 64
\name:
  .zero 64
  .endm
  object united
  object named
  object listed
  .text
  .globl main
main:
  xor %eax, %eax
  ret

  .section .debug_abbrev, "", @progbits
  .macro abbreviation code, tag, has_children
  .uleb128 \code, \tag
  .byte \has_children
  .endm
  .macro attribute name, form
  .uleb128 \name, \form
  .endm
  abbreviation 1, 0x11, 1 # unit
  attribute 0x13, 0x0b    # language, data1
  attribute 0, 0
  abbreviation 2, 0x17, 1 # union
  attribute 0x0b, 0x0b    # size, data1
  attribute 0, 0
  abbreviation 3, 0x0d, 0 # member
  attribute 0x03, 0x08    # name, string
  attribute 0x49, 0x13    # type, ref4
  attribute 0, 0
  abbreviation 4, 0x16, 0 # typedef
  attribute 0x49, 0x13
  attribute 0, 0
  abbreviation 5, 0x01, 1 # array
  attribute 0x49, 0x13
  attribute 0, 0
  abbreviation 6, 0x21, 0 # subrange
  attribute 0x37, 0x0b    # count, data1
  attribute 0, 0
  abbreviation 7, 0x34, 0 # variable
  attribute 0x03, 0x08
  attribute 0x49, 0x13
  attribute 0x02, 0x18    # location, exprloc
  attribute 0, 0
  .byte 0

  .section .debug_info, "", @progbits
unit:
  .long end - start
start:
  .short 4
  .long .debug_abbrev
  .byte 8
  .uleb128 1
  .byte 0x1d # C11
united_type:
  .uleb128 2
  .byte 64
  .rept 40
  .uleb128 3
  .asciz "again"
  .long united_type - unit
  .endr
  .byte 0
named_type:
  .uleb128 4
  .long named_type - unit
listed_type:
  .uleb128 5
  .long listed_type - unit
  .uleb128 6
  .byte 1
  .byte 0
  .macro variable name
  .uleb128 7
  .asciz "\name"
  .long \name\()_type - unit
  .uleb128 9
  .byte 3
  .quad \name
  .endm
  variable united
  variable named
  variable listed
  .byte 0
end:
