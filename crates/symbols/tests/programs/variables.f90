module store
  implicit none
  type item
    integer(8) :: key
    integer(8) :: hits(2)
  end type
  type(item) :: grid(3, 2) ! grid
  integer(8) :: shifted(-2:1) ! shifted
end module

subroutine count_calls(step)
  use store
  integer(8), save :: calls = 7 ! calls
  integer(8) :: first, second, step
  common /shared/ first, second
  calls = calls + step
  first = calls
  second = first + 1
  grid(2, 2)%hits(1) = calls
  shifted(0) = calls
end subroutine

program main
  use store
  call count_calls(3_8)
  print *, grid(2, 2)%hits(1), shifted(0)
end program
